-- shoal in Neovim: starts `shoal server` for the files it reads. Works from Neovim 0.7 on.
--
--   vim.opt.runtimepath:append("/path/to/shoal/editors/neovim")
--   require("shoal").setup({})
--
-- Options: cmd (default { "shoal", "server" }), trusted (default true: rules that a project's settings name are taken),
-- rules (folders of rules of your own), typing_delay (milliseconds).
local M = {}

M.filetypes = {
  "python", "java", "yaml", "yaml.docker-compose", "yaml.helm-values", "helm", "sql", "jproperties", "properties", "dosini", "cfg", "json",
  "dockerfile", "sh", "bash", "zsh", "make", "just", "toml", "xml", "groovy", "kotlin", "requirements", "conf",
}
M.markers = { "shoal.toml", ".git" }

local clients = {}

local function root_of(file)
  local folder = vim.fn.fnamemodify(file, ":p:h")
  local at = folder
  while true do
    for _, marker in ipairs(M.markers) do
      if vim.loop.fs_stat(at .. "/" .. marker) then
        return at
      end
    end
    local above = vim.fn.fnamemodify(at, ":h")
    if above == at then
      return folder
    end
    at = above
  end
end

local function config(options, root)
  return {
    name = "shoal",
    cmd = options.cmd or { "shoal", "server" },
    root_dir = root,
    workspace_folders = root and { { uri = vim.uri_from_fname(root), name = vim.fn.fnamemodify(root, ":t") } } or nil,
    init_options = {
      trusted = options.trusted ~= false,
      rules = options.rules or {},
      typingDelay = options.typing_delay or 150,
    },
    flags = { debounce_text_changes = 50 },
  }
end

--- Attach a buffer, starting a server for its project when none runs.
function M.attach(buffer, options)
  local file = vim.api.nvim_buf_get_name(buffer)
  if file == "" or vim.api.nvim_buf_get_option(buffer, "buftype") ~= "" then
    return nil
  end
  local root = root_of(file)
  local id = clients[root]
  if id == nil or vim.lsp.get_client_by_id(id) == nil then
    id = vim.lsp.start_client(config(options or {}, root))
    clients[root] = id
  end
  if id then
    vim.lsp.buf_attach_client(buffer, id)
  end
  return id
end

function M.setup(options)
  options = options or {}
  if vim.lsp.config and vim.lsp.enable then -- 0.11 and later
    local wanted = config(options, nil)
    wanted.root_dir, wanted.workspace_folders = nil, nil
    wanted.filetypes, wanted.root_markers = M.filetypes, M.markers
    vim.lsp.config("shoal", wanted)
    vim.lsp.enable("shoal")
    return
  end
  vim.api.nvim_create_autocmd("FileType", {
    pattern = M.filetypes,
    callback = function(event)
      M.attach(event.buf, options)
    end,
  })
end

return M
