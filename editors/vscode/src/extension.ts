// Starts the language server and gives it what only an editor has: a place to ask for a reason, to show a page, and a status item.
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions, State } from "vscode-languageclient/node";
import * as audit from "./audit";
import { PATTERN, Wishes, command, initializationOptions, start } from "./server";
import * as status from "./status";

const STOPPING = 10_000; // milliseconds

let client: LanguageClient | undefined;
let turn: Promise<void> = Promise.resolve();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel("shoal");
  const item = vscode.window.createStatusBarItem("shoal", vscode.StatusBarAlignment.Right);
  item.name = "shoal";
  item.command = "workbench.actions.view.problems";
  const pages = new Pages();
  context.subscriptions.push(
    output,
    item,
    vscode.workspace.registerTextDocumentContentProvider("shoal-rule", pages),
    vscode.languages.onDidChangeDiagnostics(() => show(item, "running")),
    vscode.commands.registerCommand("shoal.restart", () => restart(output, item, pages)),
    vscode.commands.registerCommand("shoal.showOutput", () => output.show()),
    vscode.commands.registerCommand("shoal.fixAll", fixAll),
    vscode.commands.registerCommand("shoal.askReason", askReason),
    vscode.commands.registerCommand("shoal.showJob", showJob),
    vscode.commands.registerCommand("shoal.auditWorkspace", () => auditWorkspace(context)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => restart(output, item, pages)),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("shoal")) void restart(output, item, pages);
    }),
  );
  await restart(output, item, pages);
}

export async function deactivate(): Promise<void> {
  const old = client;
  client = undefined;
  try {
    await old?.dispose(STOPPING);
  } catch {
    // It did not stop in time, or had not started: it is ended without being asked, and another one may start.
  }
}

function wishes(): Wishes {
  const found = vscode.workspace.getConfiguration("shoal");
  return { path: found.get("path", "shoal"), rules: found.get("rules", []), typingDelay: found.get("typingDelay", 150) };
}

/** One after the other: trust may be granted, or a setting changed, while the server is still starting. */
function restart(output: vscode.OutputChannel, item: vscode.StatusBarItem, pages: Pages): Promise<void> {
  turn = turn.then(() => begin(output, item, pages));
  return turn;
}

async function begin(output: vscode.OutputChannel, item: vscode.StatusBarItem, pages: Pages): Promise<void> {
  await deactivate();
  show(item, "starting");
  try {
    const how = start(wishes(), os.homedir());
    // Not started in the workspace: nothing in it may be taken for a part of shoal.
    const server: ServerOptions = { ...how, options: { cwd: os.homedir() } };
    const options: LanguageClientOptions = {
      documentSelector: [
        { scheme: "file", pattern: PATTERN },
        { notebook: { scheme: "file", notebookType: "jupyter-notebook" }, language: "python" },
      ],
      outputChannel: output,
      initializationOptions: initializationOptions(wishes(), vscode.workspace.isTrusted),
      middleware: {
        executeCommand: async (name, given, next) => (name === "shoal.openRule" ? pages.open(String(given[0])) : next(name, given)),
      },
    };
    client = new LanguageClient("shoal", "shoal", server, options);
    client.onDidChangeState((change) => show(item, change.newState === State.Running ? "running" : change.newState === State.Starting ? "starting" : "stopped"));
    await client.start();
  } catch (error) {
    show(item, "failed", error instanceof Error ? error.message : String(error));
    void complain();
  }
}

async function complain(): Promise<void> {
  const chosen = await vscode.window.showErrorMessage(
    "shoal could not be started. Install it with: pip install 'shoal[server]', or say in the settings where it is.",
    "Settings",
  );
  if (chosen) await vscode.commands.executeCommand("workbench.action.openSettings", "shoal.path");
}

function show(item: vscode.StatusBarItem, state: status.State, detail = ""): void {
  if (state === "running" && client?.state !== State.Running) return;
  let findings = 0;
  for (const [, found] of vscode.languages.getDiagnostics()) findings += found.filter((one) => one.source === "shoal").length;
  Object.assign(item, status.item(state, findings, detail));
  item.show();
}

/** Rule pages, shown as Markdown. */
class Pages implements vscode.TextDocumentContentProvider {
  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const rule = path.posix.basename(uri.path, ".md");
    return (await client?.sendRequest<string>("workspace/executeCommand", { command: "shoal.rulePage", arguments: [rule] })) ?? "";
  }

  async open(rule: string): Promise<void> {
    await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.from({ scheme: "shoal-rule", path: `/${rule}.md` }));
  }
}

async function askReason(about: { uri: string; fingerprint: string }): Promise<void> {
  const reason = await vscode.window.showInputBox({
    title: "Why is this to be ignored?",
    prompt: "The next reader needs to know whether it still holds.",
    validateInput: (text) => (text.trim() ? undefined : "A reason, in a few words"),
  });
  if (reason === undefined) return;
  const done = await client?.sendRequest<boolean>("workspace/executeCommand", {
    command: "shoal.suppress",
    arguments: [about.uri, about.fingerprint, reason],
  });
  if (!done) void vscode.window.showWarningMessage("shoal found no place for a comment that ignores this and changes nothing else.");
}

async function fixAll(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return;
  await vscode.commands.executeCommand("editor.action.sourceAction", { kind: "source.fixAll.shoal", apply: "first" });
}

async function showJob(paths: string[]): Promise<void> {
  const folder = vscode.window.activeTextEditor && vscode.workspace.getWorkspaceFolder(vscode.window.activeTextEditor.document.uri);
  const chosen = paths.length > 1 ? await vscode.window.showQuickPick(paths, { title: "The files of this job" }) : paths[0];
  if (!chosen || !folder) return;
  const uri = path.isAbsolute(chosen) ? vscode.Uri.file(chosen) : vscode.Uri.joinPath(folder.uri, chosen);
  await vscode.window.showTextDocument(uri);
}

/** The report is one file; shown beside the code, it works in a browser and on a remote machine too. */
async function showReport(file: string, name: string): Promise<void> {
  const panel = vscode.window.createWebviewPanel("shoal.report", `shoal: ${name}`, vscode.ViewColumn.Active, { enableScripts: true, localResourceRoots: [] });
  panel.webview.html = await fs.promises.readFile(file, "utf8");
}

async function auditWorkspace(context: vscode.ExtensionContext): Promise<void> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const folder = folders.length > 1 ? await vscode.window.showWorkspaceFolderPick() : folders[0];
  if (!folder) return;
  const target = context.globalStorageUri.fsPath;
  await fs.promises.mkdir(target, { recursive: true });
  await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: `shoal looks through ${folder.name}` }, async () => {
    const shoal = command(wishes().path, os.homedir());
    let file = "";
    let outcome: audit.Outcome = { code: 2, errors: "" };
    for (const [format, name] of [["html", "audit.html"], ["markdown", "audit.md"]] as const) {
      file = path.join(target, name);
      await fs.promises.rm(file, { force: true });
      outcome = await audit.run(shoal, audit.args(folder.uri.fsPath, format, file), target);
      if (!audit.unknownFormat(outcome)) break;
    }
    const wrong = audit.complaint(outcome, fs.existsSync(file));
    if (wrong) {
      void vscode.window.showErrorMessage(wrong);
    } else if (file.endsWith(".md")) {
      await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.file(file));
    } else {
      await showReport(file, folder.name);
    }
  });
}
