import { redactJson } from '../core/redaction/redact-event.ts'
import type { Redaction } from '../redaction/redaction.ts'
import type { SideFiles } from './side-files.ts'

/** Texts go to the disk with marks in place of secrets. Bytes are images, or output that was looked through as it came. */
export function redactSideFiles(files: SideFiles, { text }: Redaction): SideFiles {
  return { ...files, put: (content) => files.put(typeof content === 'string' ? redactJson(content, text) : content) }
}
