import { resolve } from 'node:path'
import { UsageProblem } from './usage-problem.ts'

/** Where to listen, as `--listen` says it. */
export type Address =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'websocket'; readonly host: string; readonly port: number }

/** `ws://HOST:PORT` or `unix:PATH`. */
export function readAddress(text: string): Address {
  if (text.startsWith('unix:') && text.length > 'unix:'.length)
    return { kind: 'socket', path: resolve(text.slice('unix:'.length)) }
  const match = /^ws:\/\/(\[[0-9a-f:.]+\]|[^/:]+):(\d{1,5})\/?$/i.exec(text)
  const port = Number(match?.[2])
  if (match?.[1] === undefined || port > 65_535)
    throw new UsageProblem(`--listen takes ws://HOST:PORT or unix:PATH, not ${JSON.stringify(text)}.`)
  return { kind: 'websocket', host: match[1].replace(/^\[|\]$/g, ''), port }
}
