/**
 * Returns the file of code in ASCII, as which `cached-start.mjs` reads it. The bundler escapes other characters in strings
 * and leaves them in regular expressions, where an escape means the same.
 * @param {import('esbuild').OutputFile} file
 */
export function inAscii({ path, text, hash }) {
  const escaped = text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return { path, hash, text: escaped, contents: Buffer.from(escaped, 'latin1') }
}
