import * as z from 'zod'
import { defineTool, type ToolPorts } from '../contract/define-tool.ts'
import type { Tool } from '../contract/tool.ts'
import { prepareChange } from './prepare-change.ts'

const input = z.object({
  path: z.string().min(1).describe('File to change.'),
  old: z
    .string()
    .describe('Exact text that stands there now, with its indentation, and enough of it to be there once.'),
  new: z.string().describe('Text that stands there afterwards.'),
  all: z.boolean().optional().describe('Replace every occurrence. Default false.'),
})

export function editFileTool(ports: ToolPorts): Tool {
  return defineTool({
    name: 'edit_file',
    description:
      'Replaces a text in a file. Read the file first; a text that is not there exactly, or more than once, is refused.',
    readOnly: false,
    offeredTo: ({ toolShape }) => toolShape === 'edit',
    input,
    prepare: ({ path, old, new: text, all = false }) =>
      prepareChange(
        {
          tool: 'edit_file',
          title: `Edit ${path}`,
          edits: [{ kind: 'replace', path, old, new: text, all }],
          text: shownEdit({ path, old, text, all }),
        },
        ports,
      ),
  })
}

/** Returns the edit as people see it; each line says which text it is of, so that no two edits look the same. */
function shownEdit(edit: {
  readonly path: string
  readonly old: string
  readonly text: string
  readonly all: boolean
}): string {
  const { path, old, text, all } = edit
  return [`Replace${all ? ' all' : ''} in ${path}:`, ...marked('-', old), ...marked('+', text)].join('\n')
}

function marked(mark: string, text: string): string[] {
  return text.split('\n').map((line) => `${mark}${line}`)
}
