-- Run by tests/server/test_neovim.py: open a bad file, see the diagnostic, apply the fix, save, see it clear.
-- Environment: SHOAL (the command), FILE, RULE. Prints `done`, or what went wrong, and ends Neovim.
local function fail(text)
  io.stdout:write(text .. "\n")
  vim.cmd("cquit 1")
end

local ok, wrong = pcall(function()
  require("shoal").setup({ cmd = { vim.env.SHOAL, "server" }, typing_delay = 10 })
  vim.cmd("filetype on")
  vim.cmd("edit " .. vim.fn.fnameescape(vim.env.FILE))

  local function codes()
    local found = {}
    for _, one in ipairs(vim.diagnostic.get(0)) do
      table.insert(found, one.code or (one.user_data and one.user_data.lsp and one.user_data.lsp.code) or "?")
    end
    return table.concat(found, " ")
  end

  if not vim.wait(20000, function() return codes():find(vim.env.RULE, 1, true) ~= nil end, 20) then
    return fail("no diagnostic of " .. vim.env.RULE .. ", only: " .. codes())
  end
  local place = vim.diagnostic.get(0)[1]
  vim.api.nvim_win_set_cursor(0, { place.lnum + 1, place.col })
  local params = vim.lsp.util.make_range_params()
  params.context = { diagnostics = {}, only = { "quickfix" } }
  local answers = vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 20000)
  local applied = false
  for id, answer in pairs(answers or {}) do
    for _, action in ipairs(answer.result or {}) do
      if action.isPreferred and action.edit then
        vim.lsp.util.apply_workspace_edit(action.edit, vim.lsp.get_client_by_id(id).offset_encoding)
        applied = true
      end
    end
  end
  if not applied then
    return fail("no preferred fix")
  end
  vim.cmd("write")
  if not vim.wait(20000, function() return codes() == "" end, 20) then
    return fail("still there: " .. codes())
  end
  io.stdout:write("done\n")
  vim.cmd("qall!")
end)
if not ok then
  fail(tostring(wrong))
end
