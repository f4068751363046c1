import { applyPatchTool } from './apply-patch.ts'
import type { ToolPorts } from './define-tool.ts'
import { listDirTool } from './list-dir.ts'
import { readFileTool } from './read-file.ts'
import { searchTool } from './search.ts'
import { shellTool } from './shell.ts'
import { stopProcessTool } from './stop-process.ts'
import type { Tool } from './tool.ts'
import { updatePlanTool } from './update-plan.ts'

/** Returns all tools, in the order in which the model gets them. */
export function createTools(ports: ToolPorts): readonly Tool[] {
  return [
    shellTool(ports),
    applyPatchTool(ports),
    readFileTool(ports),
    listDirTool(ports),
    searchTool(ports),
    updatePlanTool,
    stopProcessTool(ports),
  ]
}
