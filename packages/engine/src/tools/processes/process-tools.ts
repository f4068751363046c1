import type { ToolPorts } from '../contract/define-tool.ts'
import type { Tool } from '../contract/tool.ts'
import { readProcessTool, type ShownBytes } from './read-process.ts'
import { stopProcessTool } from './stop-process.ts'
import { writeProcessTool } from './write-process.ts'

/** Returns the tools for background processes of one conversation. */
export function processTools(ports: ToolPorts): readonly Tool[] {
  const shownBytes: ShownBytes = new Map()
  return [readProcessTool(ports, shownBytes), writeProcessTool(ports, shownBytes), stopProcessTool(ports)]
}
