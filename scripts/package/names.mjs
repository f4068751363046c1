/** Names of the packages to make. No registry has packages of these names: documents name the files only. */
export const names = { program: 'parley', client: '@parley/client', protocol: '@parley/protocol' }

/** Returns the file name that npm gives a package. */
export function tarballName(name, version) {
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
}
