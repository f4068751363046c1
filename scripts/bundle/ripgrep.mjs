import { fileURLToPath } from 'node:url'

/** Stands in for @vscode/ripgrep, which looks for its platform package in a folder that the bundle lacks. */
export const rgPath = fileURLToPath(new URL('./rg', import.meta.url))
