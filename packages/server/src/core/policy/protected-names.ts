/** Names whose files change what later runs, with what a prompt says about them. Compared without case. */
const protectedNames: ReadonlyMap<string, string> = new Map([
  ['.git', 'changes the repository itself, whose settings and hooks can run programs'],
  ['.parley', 'changes parley settings'],
  ['.vscode', 'runs when an editor opens this folder'],
  ['.idea', 'runs when an editor opens this folder'],
  ['.husky', 'runs with git commands'],
  ['.envrc', 'runs when a shell enters this folder'],
  ['.mcp.json', 'starts programs'],
])

/** Why a file with these path components is protected, or null. */
export function protectionOf(components: readonly string[]): string | null {
  for (const name of components) {
    const why = protectedNames.get(name.toLowerCase())
    if (why !== undefined) return why
  }
  return null
}
