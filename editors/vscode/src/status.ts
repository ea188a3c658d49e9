// What the status item says. Knows nothing of VS Code.

export type State = "starting" | "running" | "stopped" | "failed";

export interface Item {
  text: string;
  tooltip: string;
}

export function item(state: State, findings: number, detail = ""): Item {
  switch (state) {
    case "starting":
      return { text: "$(sync~spin) shoal", tooltip: "shoal is starting" };
    case "running":
      return findings === 0
        ? { text: "$(check) shoal", tooltip: "shoal finds nothing in the files it has shown" }
        : { text: `$(warning) shoal ${findings}`, tooltip: `${findings} ${findings === 1 ? "finding" : "findings"} of shoal` };
    case "stopped":
      return { text: "$(circle-slash) shoal", tooltip: "shoal is not running" };
    case "failed":
      return { text: "$(error) shoal", tooltip: detail || "shoal could not be started; is shoal[server] installed?" };
  }
}
