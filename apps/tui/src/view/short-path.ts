/** A folder as people write it: `~` for the home folder. */
export function shortPath(path: string, homeFolder: string): string {
  if (homeFolder === '' || homeFolder === '/') return path
  if (path === homeFolder) return '~'
  return path.startsWith(`${homeFolder}/`) ? `~${path.slice(homeFolder.length)}` : path
}

/** Where a conversation works: on another machine its home is not ours, so there the path is whole. */
export function placedPath(path: string, place: string | undefined, homeFolder: string): string {
  return place === undefined ? shortPath(path, homeFolder) : `${place}:${path}`
}
