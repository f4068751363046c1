import { fileURLToPath } from 'node:url'
import type { ContentBlock } from '@agentclientprotocol/sdk'
import type { InputItem } from '@parley/protocol'

/** Turns the blocks of a prompt into the parts of a message. Throws a `TypeError` that names a block it cannot take. */
export function inputOf(blocks: readonly ContentBlock[]): InputItem[] {
  return blocks.map(partOf)
}

function partOf(block: ContentBlock): InputItem {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'image':
      return { type: 'image', url: `data:${block.mimeType};base64,${block.data}` }
    case 'resource_link':
      return { type: 'text', text: `\n[${block.name}](${placeOf(block.uri)})\n` }
    case 'resource':
      return resourcePart(block.resource)
    case 'audio':
      throw new TypeError('The models take no audio; send text, images and resources.')
  }
}

/** Gives the text as the editor holds it, which may not be saved yet. */
function resourcePart(resource: Extract<ContentBlock, { type: 'resource' }>['resource']): InputItem {
  const { uri, mimeType } = resource
  if ('text' in resource)
    return { type: 'text', text: `\n<context ref=${JSON.stringify(placeOf(uri))}>\n${resource.text}\n</context>\n` }
  if (mimeType?.startsWith('image/') === true) return { type: 'image', url: `data:${mimeType};base64,${resource.blob}` }
  throw new TypeError(`${uri} is neither text nor an image.`)
}

/** Returns the path of a `file:` URI of this machine, which tools can open, and any other URI as it is. */
function placeOf(uri: string): string {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : uri
  } catch {
    return uri
  }
}
