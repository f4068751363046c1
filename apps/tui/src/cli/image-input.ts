import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { InputItem } from '@parley/protocol'
import { misused } from './exit-codes.ts'
import { systemCause } from './messages.ts'

/** Returns an image as part of a message. A server on another machine gets the bytes of the file, and finds out its format. */
export function imageInput(path: string, isFar: boolean): InputItem & { readonly type: 'image' } {
  if (!isFar) return { type: 'image', path }
  try {
    return { type: 'image', url: `data:${imageKind(path)};base64,${readFileSync(path).toString('base64')}` }
  } catch (error) {
    throw misused(`The image ${path} cannot be read: ${systemCause(error)}.`)
  }
}

function imageKind(path: string): string {
  const kind = extname(path).slice(1).toLowerCase()
  return `image/${kind === 'jpg' ? 'jpeg' : kind || 'png'}`
}
