import { readFileSync } from 'node:fs'

/**
 * Removes `.describe('…')` from the protocol's schemas in bundles. The texts are for the generated reference, and each
 * call copies its schema, which is half of the time that schemas take at start.
 */
export function stripDescriptions() {
  return {
    name: 'strip-descriptions',
    setup(build) {
      build.onLoad({ filter: /[\\/]packages[\\/]protocol[\\/]src[\\/]schema[\\/].*\.ts$/ }, ({ path }) => ({
        contents: withoutDescriptions(readFileSync(path, 'utf8')),
        loader: 'ts',
      }))
    },
  }
}

const call = '.describe('

/** @param {string} source */
export function withoutDescriptions(source) {
  let kept = ''
  for (let from = 0; ; ) {
    const at = source.indexOf(call, from)
    if (at < 0) return kept + source.slice(from)
    kept += source.slice(from, at)
    from = endOfCall(source, at + call.length)
  }
}

/** Returns the offset after the bracket that closes the call; strings may hold brackets and escaped quotes. */
function endOfCall(source, start) {
  for (let at = start, depth = 1; at < source.length; at++) {
    const character = source[at]
    if (character === '(') depth++
    else if (character === ')' && --depth === 0) return at + 1
    else if (`'"\``.includes(character)) at = endOfString(source, at)
  }
  throw new Error('a .describe( without its end')
}

function endOfString(source, start) {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\') at++
    else if (source[at] === source[start]) return at
  }
  throw new Error('a string without its end')
}
