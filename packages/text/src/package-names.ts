/** Returns a package's folder below `$PARLEY_HOME/providers`, its own since no name has a plus sign; else null. */
export function packageFolder(name: string): string | null {
  return /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i.test(name) ? name.replace('/', '+') : null
}
