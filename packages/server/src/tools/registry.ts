import { applyPatchTool } from './changes/apply-patch.ts'
import { editFileTool } from './changes/edit-file.ts'
import { writeFileTool } from './changes/write-file.ts'
import type { ToolPorts } from './define-tool.ts'
import { listDirTool } from './list-dir.ts'
import { readFileTool } from './read-file.ts'
import { searchTool } from './search.ts'
import { shellTool } from './shell.ts'
import { stopProcessTool } from './stop-process.ts'
import type { Tool } from './tool.ts'
import { updatePlanTool } from './update-plan.ts'
import { viewImageTool } from './view-image.ts'

/** Returns all tools, in the order in which a model gets those that it is offered. */
export function createTools(ports: ToolPorts): readonly Tool[] {
  return [
    shellTool(ports),
    applyPatchTool(ports),
    editFileTool(ports),
    writeFileTool(ports),
    readFileTool(ports),
    listDirTool(ports),
    searchTool(ports),
    viewImageTool(ports),
    updatePlanTool,
    stopProcessTool(ports),
  ]
}
