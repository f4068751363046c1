import { rgPath } from '@vscode/ripgrep'

/** The ripgrep that comes with the program. */
export function ripgrepPath(): string {
  return rgPath
}
