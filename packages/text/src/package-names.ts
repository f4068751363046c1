/**
 * Returns the folder of a package below `$PARLEY_HOME/providers`; null for an invalid package name. Two names never
 * share a folder: no name contains a plus sign.
 */
export function packageFolder(name: string): string | null {
  return /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i.test(name) ? name.replace('/', '+') : null
}
