import * as z from 'zod'
import { defineTool, type ToolPorts } from '../contract/define-tool.ts'
import type { Tool } from '../contract/tool.ts'
import { prepareChange } from './prepare-change.ts'

const input = z.object({
  path: z.string().min(1).describe('File to make or to replace; missing folders are made.'),
  content: z.string().describe('All of its content.'),
})

export function writeFileTool(ports: ToolPorts): Tool {
  return defineTool({
    name: 'write_file',
    description: 'Writes a whole file, new or not. To change a part of a file use edit_file.',
    readOnly: false,
    offeredTo: ({ toolShape }) => toolShape === 'edit',
    input,
    prepare: ({ path, content }) =>
      prepareChange(
        {
          tool: 'write_file',
          title: `Write ${path}`,
          edits: [{ kind: 'write', path, content }],
          text: `Write ${path}:\n${content}`,
        },
        ports,
      ),
  })
}
