import { decodeLine, encodeLine, type LogLine, textOf } from '@parley/journal'
import { type BundleRules, bundledEvent } from './bundled-event.ts'
import type { BundledFiles } from './bundled-files.ts'

/** Returns a line as the bundle has it, and notes its side files. */
export function bundledText(line: LogLine, rules: BundleRules, sideFiles: BundledFiles): string {
  const text = textOf(line)
  const logged = decodeLine(text)
  if (logged === null) return text
  const event = bundledEvent(logged.event, rules)
  const bundled = event === logged.event ? text : encodeLine({ ...logged, event }).text
  const referred = sideFiles.refer(bundled)
  const renamed = referred === bundled ? null : decodeLine(referred)
  return renamed === null ? bundled : encodeLine(renamed).text
}

/** Returns a line with the bytes that the bundle has for it. */
export function bundledLine(line: LogLine, rules: BundleRules, sideFiles: BundledFiles): LogLine {
  return { ...line, bytes: Buffer.from(bundledText(line, rules, sideFiles)), unchecked: false }
}
