import { limitDefaults } from '@parley/config/defaults'
import { listDirectory } from '@parley/workspace'
import * as z from 'zod'
import { defineTool, prepareLookUp, type ToolPorts } from './contract/define-tool.ts'
import type { Tool } from './contract/tool.ts'

const input = z.object({
  path: z.string().min(1).optional().describe('Folder to list. Default: the working directory.'),
  depth: z.int().min(1).max(8).optional().describe(`Levels to show. Default ${limitDefaults.listLevels}.`),
  show_ignored: z.boolean().optional().describe('Also what .gitignore hides.'),
})

export function listDirTool({ environment }: ToolPorts): Tool {
  return defineTool({
    name: 'list_dir',
    description: 'Lists a folder as a tree, without what .gitignore hides.',
    readOnly: true,
    input,
    prepare: (call) => {
      const { path = '.', depth = limitDefaults.listLevels } = call
      return prepareLookUp({
        tool: 'list_dir',
        title: `List ${path}`,
        input: call,
        path,
        recursive: depth > 1,
        environment,
        look: ({ real, shownPath }, { cwd }) =>
          listDirectory({
            files: environment.files,
            path: real,
            shownPath,
            ignoreRoot: cwd,
            depth,
            showIgnored: call.show_ignored ?? false,
          }),
      })
    },
  })
}
