// The audit of a whole workspace: what is run, and what its outcome means. Knows nothing of VS Code.
import { execFile } from "node:child_process";

export interface Outcome {
  code: number;
  errors: string;
}

export type Format = "html" | "markdown";

export function args(folder: string, format: Format, file: string): string[] {
  return ["audit", "--exit-zero", "--quiet", "--format", format, "--output", file, folder];
}

/** Whether this version of shoal cannot write the format; then another one is tried. */
export function unknownFormat(outcome: Outcome): boolean {
  return outcome.code === 2 && /no format is called/.test(outcome.errors);
}

/** What to tell the user when there is no report; empty when there is one. Problems (exit code 2) still leave a report. */
export function complaint(outcome: Outcome, written: boolean): string {
  if (written) return "";
  const last = outcome.errors.trim().split("\n").pop() ?? "";
  return last || `shoal ended with code ${outcome.code} and wrote no report`;
}

/** Run shoal outside the workspace, so that nothing in it can be taken for a part of shoal. */
export function run(command: string, given: string[], cwd: string): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(command, given, { cwd, maxBuffer: 1 << 26 }, (error, _output, errors) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 2;
      resolve({ code, errors: errors || (error && typeof error.code !== "number" ? error.message : "") });
    });
  });
}
