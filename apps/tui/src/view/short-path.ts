/** A folder as people write it: `~` for the home folder. */
export function shortPath(path: string, homeFolder: string): string {
  if (homeFolder === '' || homeFolder === '/') return path
  if (path === homeFolder) return '~'
  return path.startsWith(`${homeFolder}/`) ? `~${path.slice(homeFolder.length)}` : path
}
