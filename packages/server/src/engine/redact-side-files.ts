import { type Redaction, redactJson } from '@parley/redaction'
import { imageTypeOf } from '../core/image-type.ts'
import type { SideFiles } from './side-files.ts'

/** All that goes to the disk beside the log has marks in place of secrets, but images, which are to stay what they are. */
export function redactSideFiles(files: SideFiles, redaction: Redaction): SideFiles {
  const redacted = (content: string | Buffer) => {
    if (typeof content === 'string') return redactJson(content, redaction.text)
    return imageTypeOf(content) === null ? redactBytes(content, redaction) : content
  }
  return { ...files, put: (content) => files.put(redacted(content)) }
}

function redactBytes(bytes: Buffer, redaction: Redaction): Buffer {
  const filter = redaction.filter()
  return Buffer.concat([filter.push(bytes), filter.end(false)])
}
