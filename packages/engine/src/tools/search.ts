import { searchEnvironment, searchFileNames, searchText } from '@parley/workspace'
import * as z from 'zod'
import { defineTool, prepareLookUp, type ToolPorts } from './contract/define-tool.ts'
import type { PreparedCall, Tool } from './contract/tool.ts'

const input = z.object({
  pattern: z
    .string()
    .min(1)
    .optional()
    .describe('Regular expression to find in lines. Leave it out to list files by glob.'),
  path: z.string().min(1).optional().describe('File or folder to search. Default: the working directory.'),
  globs: z.array(z.string()).optional().describe('Only files that fit, such as "*.ts" or "!dist/**".'),
  literal: z.boolean().optional().describe('The pattern is plain text.'),
  ignore_case: z.boolean().optional(),
  context_lines: z.int().min(0).max(20).optional(),
  include_ignored: z.boolean().optional().describe('Also files that .gitignore hides.'),
})

export function searchTool(ports: ToolPorts): Tool {
  return defineTool({
    name: 'search',
    description: 'Searches file contents with ripgrep, or lists files by glob.',
    readOnly: true,
    input,
    prepare: (call) => prepareSearch(call, ports),
  })
}

function prepareSearch(call: z.infer<typeof input>, { environment, redaction }: ToolPorts): PreparedCall {
  const path = call.path ?? '.'
  const { pattern, globs = [], literal = false, ignore_case: ignoreCase = false } = call
  const { include_ignored: includeIgnored = false, context_lines: contextLines = 0 } = call
  const title =
    pattern === undefined
      ? `Find files ${globs.join(' ')}`
      : `Search ${JSON.stringify(pattern)}${path === '.' ? '' : ` in ${path}`}`
  return prepareLookUp({
    tool: 'search',
    title,
    input: call,
    path,
    kind: 'search',
    recursive: true,
    environment,
    look: ({ real, shownPath }, { cwd, roots, signal }) =>
      searchEnvironment({
        ...{ environment, roots, includeIgnored, cwd, path: real, shownPath, signal, globs },
        search: (where) =>
          pattern === undefined
            ? searchFileNames(where)
            : searchText({ ...where, pattern, literal, ignoreCase, contextLines, redactCutLine: redaction.excerpt }),
      }),
  })
}
