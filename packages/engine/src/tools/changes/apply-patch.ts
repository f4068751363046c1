import { type Hunk, parsePatch } from '@parley/workspace'
import * as z from 'zod'
import { defineTool, type ToolPorts } from '../contract/define-tool.ts'
import type { PreparedCall, Tool } from '../contract/tool.ts'
import { prepareChange } from './prepare-change.ts'

const format = `*** Begin Patch
*** Update File: path/to/file.py
@@ def greet():
-    return "hi"
+    return "hello"
*** Add File: notes.txt
+first line
*** Delete File: old.txt
*** End Patch
Lines of an update begin with a space (context), - (removed) or + (added). Give about 3 lines of context; put @@ and a nearby line such as a function's head before a chunk where the context alone is not unique: a chunk that fits in two places is refused. "*** Move to: new/path" after an Update File line renames it.`

const input = z.object({ patch: z.string().describe('The patch, from *** Begin Patch to *** End Patch.') })

export function applyPatchTool(ports: ToolPorts): Tool {
  return defineTool({
    name: 'apply_patch',
    description: `Changes files, all of them or none. The patch looks like this:\n${format}`,
    readOnly: false,
    freeform: {
      field: 'patch',
      description: `Changes files, all of them or none. The input is the patch itself, without JSON around it:\n${format}`,
      grammar: patchGrammar,
    },
    offeredTo: ({ toolShape }) => toolShape === 'freeformPatch',
    input,
    prepare: ({ patch }) => preparePatch(patch, ports),
  })
}

function preparePatch(patch: string, ports: ToolPorts): PreparedCall | { problem: string } {
  const parsed = parsePatch(patch)
  if (!parsed.ok) return { problem: `${parsed.message}\nNo file was changed.` }
  return prepareChange({ tool: 'apply_patch', title: titleOf(parsed.hunks), edits: parsed.hunks, text: patch }, ports)
}

function titleOf(hunks: readonly Hunk[]): string {
  const paths = [...new Set(hunks.map(({ path }) => path))]
  const [first = 'nothing'] = paths
  return paths.length <= 1 ? `Patch ${first}` : `Patch ${first} and ${paths.length - 1} more`
}

/** Grammar of a patch in Lark's syntax, to which a provider holds the input of a freeform tool. */
const patchGrammar = `start: begin file+ end
begin: "*** Begin Patch" LF
end: "*** End Patch" LF?

file: added | deleted | updated
added: "*** Add File: " path LF new_line+
deleted: "*** Delete File: " path LF
updated: "*** Update File: " path LF (moved body? | body)
moved: "*** Move to: " path LF

body: (chunk | headed) headed*
headed: head+ chunk
head: ("@@" | "@@ " text) LF
chunk: line+ at_end?
line: ("+" | "-" | " ") text? LF
new_line: "+" text? LF
at_end: "*** End of File" LF
path: text
text: /(.+)/

%import common.LF
`
