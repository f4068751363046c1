import { fileURLToPath } from 'node:url'

/** Stands in for @vscode/ripgrep, which looks for its platform package where the bundle has none. */
export const rgPath = fileURLToPath(new URL('./rg', import.meta.url))
