import { approvals } from './approvals.ts'
import { dotfiles } from './dotfiles.ts'
import { limitedMachine } from './limited-machine.ts'
import { mcpFace } from './mcp-face.ts'
import { patches } from './patches.ts'
import { projectConfig } from './project-config.ts'
import { protocol } from './protocol.ts'
import type { Scenarios } from './scenario.ts'
import { sharedLoopback } from './shared-loopback.ts'
import { storage } from './storage.ts'
import { terminal } from './terminal.ts'
import { toolServers } from './tool-servers.ts'
import { turns } from './turns.ts'

export const scenarios: Scenarios = {
  ...approvals,
  ...dotfiles,
  ...limitedMachine,
  ...mcpFace,
  ...patches,
  ...projectConfig,
  ...protocol,
  ...sharedLoopback,
  ...storage,
  ...terminal,
  ...toolServers,
  ...turns,
}
