import * as assert from "node:assert/strict";
import { test } from "node:test";
import * as audit from "../src/audit";
import { command, initializationOptions, start } from "../src/server";
import { item } from "../src/status";

const WISHES = { path: "~/bin/shoal", rules: ["/home/me/rules"], typingDelay: 150 };

test("the command is the user's, never the workspace's", () => {
  assert.deepEqual(start(WISHES, "/home/me"), { command: "/home/me/bin/shoal", args: ["server"] });
  assert.equal(command("  ", "/home/me"), "shoal");
  assert.equal(command("/opt/shoal", "/home/me"), "/opt/shoal");
  assert.throws(() => command("./bin/shoal", "/home/me"), /absolute path/);
  assert.throws(() => command("bin\\shoal", "/home/me"), /absolute path/);
});

test("a workspace that is not trusted brings no rules", () => {
  assert.deepEqual(initializationOptions(WISHES, false), { trusted: false, rules: [], typingDelay: 150, asksReason: true });
  assert.deepEqual(initializationOptions(WISHES, true).rules, ["/home/me/rules"]);
});

test("an audit that a version cannot write as HTML is written as Markdown", async () => {
  assert.ok(audit.unknownFormat({ code: 2, errors: "shoal audit: error: no format is called 'html' (there are text)" }));
  assert.ok(!audit.unknownFormat({ code: 2, errors: "shoal: problem[unparsable]: no format" }));
  assert.deepEqual(audit.args("/w", "html", "/t/a.html").slice(-5), ["--format", "html", "--output", "/t/a.html", "/w"]);
});

test("what went wrong in an audit is said, and problems still leave a report", async () => {
  assert.equal(audit.complaint({ code: 2, errors: "shoal: problem" }, true), "");
  assert.equal(audit.complaint({ code: 2, errors: "first\nlast\n" }, false), "last");
  const none = await audit.run("/no/such/command", [], "/");
  assert.equal(none.code, 2);
  assert.match(audit.complaint(none, false), /ENOENT/);
  assert.deepEqual(await audit.run(process.execPath, ["-e", "console.error('x'); process.exit(3)"], "/"), { code: 3, errors: "x\n" });
});

test("the status item counts", () => {
  assert.match(item("running", 0).text, /check/);
  assert.equal(item("running", 1).tooltip, "1 finding of shoal");
  assert.equal(item("failed", 0, "gone").tooltip, "gone");
});
