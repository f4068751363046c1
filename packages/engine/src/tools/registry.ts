import { applyPatchTool } from './changes/apply-patch.ts'
import { editFileTool } from './changes/edit-file.ts'
import { writeFileTool } from './changes/write-file.ts'
import type { ToolPorts } from './contract/define-tool.ts'
import type { Tool } from './contract/tool.ts'
import { listDirTool } from './list-dir.ts'
import { readProcessTool, type ShownBytes } from './processes/read-process.ts'
import { stopProcessTool } from './processes/stop-process.ts'
import { writeProcessTool } from './processes/write-process.ts'
import { askUserTool } from './questions/ask-user.ts'
import { proposePlanTool } from './questions/propose-plan.ts'
import { readFileTool } from './read-file.ts'
import { reportFindingsTool } from './review/report-findings.ts'
import { searchTool } from './search.ts'
import { shellTool } from './shell.ts'
import { useSkillTool } from './skills/use-skill.ts'
import { updatePlanTool } from './update-plan.ts'
import { viewImageTool } from './view-image.ts'

/** Returns all tools, in the order in which a model is offered them. */
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
    askUserTool,
    proposePlanTool,
    reportFindingsTool,
    ...processTools(ports),
    useSkillTool(ports.skills),
  ]
}

/** Returns the tools for background processes of one conversation. */
function processTools(ports: ToolPorts): readonly Tool[] {
  const shownBytes: ShownBytes = new Map()
  return [readProcessTool(ports, shownBytes), writeProcessTool(ports, shownBytes), stopProcessTool(ports)]
}
