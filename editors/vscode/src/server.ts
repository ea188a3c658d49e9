// How the server is started and what it is told. Knows nothing of VS Code, so that it can be tested without.
import * as path from "node:path";

export interface Wishes {
  path: string;
  rules: string[];
  typingDelay: number;
}

export interface Start {
  command: string;
  args: string[];
}

export interface InitializationOptions {
  trusted: boolean;
  rules: string[];
  typingDelay: number;
  asksReason: boolean;
}

/** The kinds of files that shoal reads; the server decides in the end. */
export const PATTERN =
  "**/{*.py,*.ipynb,*.java,*.yaml,*.yml,*.sql,*.hql,*.fsql,*.flinksql,*.properties,*.ini,*.cfg,*.json,*.sh,*.bash,*.zsh,*.ksh,*.toml,*.lock,*.xml,*.pom," +
  "*.gradle,*.kts,*.sbt,*.mk,*.txt,*.in,*.conf,*.j2,*.tpl,*.tf,Dockerfile*,Containerfile*,*.dockerfile,Makefile,GNUmakefile,justfile,Pipfile*}";

/** A command as the user wrote it, with ~ for the home folder. A relative path with a folder in it is refused: it would be the workspace's. */
export function command(wish: string, home: string): string {
  const trimmed = wish.trim() || "shoal";
  const full = trimmed === "~" || trimmed.startsWith("~/") ? path.join(home, trimmed.slice(1)) : trimmed;
  if (!path.isAbsolute(full) && /[\\/]/.test(full)) {
    throw new Error(`shoal.path is ${full}: give a command's name or an absolute path`);
  }
  return full;
}

export function start(wishes: Wishes, home: string): Start {
  return { command: command(wishes.path, home), args: ["server"] };
}

export function initializationOptions(wishes: Wishes, trusted: boolean): InitializationOptions {
  return { trusted, rules: trusted ? wishes.rules : [], typingDelay: wishes.typingDelay, asksReason: true };
}
