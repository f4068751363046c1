import { base64OfBytes } from './base64.ts'

/** Something known to be secret, with what to call it. */
export interface SecretValue {
  readonly kind: string
  readonly value: string
}

/** As it is, as JSON writes it, as a URL does, and inside of base64, which has three ways to write what it holds. */
export function formsOf(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1)
  const inside = [0, 1, 2].map((offset) => base64Inside(value, offset))
  const urlSafe = inside.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  const forms = [
    value,
    json,
    JSON.stringify(json).slice(1, -1),
    urlForm(value),
    bytesForm(value),
    ...inside,
    ...urlSafe,
  ]
  return [...new Set(forms)]
}

/** The characters that hold nothing but the value, when `offset` bytes precede it in its group of three. */
function base64Inside(value: string, offset: number): string {
  const bytes = '\0'.repeat(offset) + bytesForm(value)
  return base64OfBytes(bytes).slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6))
}

function urlForm(value: string): string {
  return encodeURIComponent(value.toWellFormed())
}

/** Its UTF-8 bytes as a text of one character each, which is how output of commands is looked through. */
function bytesForm(value: string): string {
  return urlForm(value).replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
