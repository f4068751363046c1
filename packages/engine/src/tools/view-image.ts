import { basename } from 'node:path'
import { systemErrorReason } from '@parley/workspace'
import * as z from 'zod'
import { imageProblem } from '../core/image-facts.ts'
import { imageTypeOf } from '../core/image-form.ts'
import { describeImage } from './contract/command-output.ts'
import { defineTool, type LookUpOutcome, prepareLookUp, type ToolPorts } from './contract/define-tool.ts'
import type { CallFiles, Tool } from './contract/tool.ts'

const input = z.object({ path: z.string().min(1).describe('PNG, JPEG, GIF or WebP file.') })

/** Offers images of files to models that read them; policy judges the path as it does for `read_file`. */
export function viewImageTool({ environment }: ToolPorts): Tool {
  return defineTool({
    name: 'view_image',
    description: 'Shows you an image file, such as a screenshot or a chart.',
    readOnly: true,
    offeredTo: ({ images }) => images,
    input,
    prepare: (call) =>
      prepareLookUp({
        tool: 'view_image',
        title: `View ${call.path}`,
        input: call,
        path: call.path,
        recursive: false,
        environment,
        look: ({ real, shownPath }, { files: kept }) =>
          lookAtImage({ real, shownPath, files: environment.files }, kept),
      }),
  })
}

interface Looked {
  readonly real: string
  readonly shownPath: string
  readonly files: ToolPorts['environment']['files']
}

async function lookAtImage({ real, shownPath, files }: Looked, kept: CallFiles): Promise<LookUpOutcome> {
  const failed = (message: string): LookUpOutcome => ({ kind: 'failed', message })
  const bytes = await readImage(real, { files, maxBytes: kept.imageLimits.maxBytes }).catch(systemErrorReason)
  if (typeof bytes === 'string') return failed(`${shownPath} cannot be read: ${bytes}.`)
  const mediaType = imageTypeOf(bytes)
  if (mediaType === null) return failed(`${shownPath} is not a PNG, JPEG, GIF or WebP image.`)
  const problem = imageProblem(shownPath, bytes, kept.imageLimits)
  if (problem !== null) return failed(problem)
  const file = await kept.sideFiles.put(bytes)
  const text = `${shownPath}: ${describeImage(mediaType, bytes)}`
  return { kind: 'image', text, images: [{ file, mediaType, name: basename(shownPath) }] }
}

interface ImageRead {
  readonly files: Looked['files']
  readonly maxBytes: number
}

/** Reads a file, of a larger one a byte more than the limit. Rejects with the system's errors. */
async function readImage(real: string, { files, maxBytes }: ImageRead): Promise<Buffer> {
  await using file = await files.open(real)
  if (file.kind !== 'file') throw new Error('it is not a file')
  const pieces: Buffer[] = []
  for (let position = 0; position <= maxBytes; ) {
    const piece = Buffer.from(await file.read(position, Math.min(pieceBytes, maxBytes + 1 - position)))
    if (piece.length === 0) break
    pieces.push(piece)
    position += piece.length
  }
  return Buffer.concat(pieces)
}

const pieceBytes = 1024 * 1024
