import { mkdirSync } from 'node:fs'
import type { Actor, ItemOf } from '@parley/protocol'
import { clipForModel } from '../core/clip-output.ts'
import { keepOutput } from '../tools/keep-output.ts'
import { commandSpec } from '../tools/run-shell-command.ts'
import type { ToolPorts } from '../tools/tool-ports.ts'
import type { Bench } from './bench.ts'
import type { Conversation } from './conversation.ts'
import { createOutputReporter } from './output-reporter.ts'

/** Runs the user's own `!` commands, outside any sandbox, and records them. */
export interface ShellRunner {
  run(command: string, by: Actor): { itemId: string; seq: number }
  /** Stops what runs and resolves when it is recorded. */
  stopAll(): Promise<void>
}

export function createShellRunner(conversation: Conversation, bench: Bench, ports: ToolPorts): ShellRunner {
  const running = new Map<string, { stop(): void; recorded: Promise<void> }>()

  function run(command: string, by: Actor): { itemId: string; seq: number } {
    const id = bench.ids.item()
    const { cwd } = conversation.state.core.meta
    const title = `! ${command.split('\n', 1)[0]}`
    const item: ItemOf<'shellCommand'> = {
      id,
      type: 'shellCommand',
      status: 'inProgress',
      title,
      text: command,
      command,
      cwd,
      by,
    }
    const { seq } = conversation.record({ type: 'item.started', item })
    mkdirSync(conversation.sideFiles.folder, { recursive: true, mode: 0o700 })
    const reporter = createOutputReporter(conversation, bench.clock, id)
    const spec = commandSpec(
      { argv: [ports.shell, '-c', command], cwd, itemId: id, folder: conversation.sideFiles.folder },
      ports,
    )
    const child = ports.host.startCommand(spec, { sandbox: ports.sandbox, onOutput: reporter.report })
    const recorded = child.ended.then(async (end) => {
      reporter.stop()
      const output = await keepOutput(end, conversation.sideFiles)
      const status =
        end.reason === 'exited' && end.exitCode === 0
          ? 'completed'
          : end.reason === 'exited' || end.reason === 'spawnFailed'
            ? 'failed'
            : 'interrupted'
      const heading =
        end.spawnError?.message ?? (end.signal === null ? `exit ${end.exitCode}` : `killed by ${end.signal}`)
      const shown = clipForModel(output, `read_file "output:${id}" shows the rest`)
      const modelText = `I ran this myself: ${command}\n${heading}\n${shown}`
      conversation.record({
        type: 'item.completed',
        item: { ...item, status, exitCode: end.exitCode, durationMs: Math.round(end.durationMs), output, modelText },
      })
      running.delete(id)
    })
    running.set(id, { stop: () => child.stop('interrupted'), recorded })
    return { itemId: id, seq }
  }

  return {
    run,
    async stopAll() {
      for (const { stop } of running.values()) stop()
      await Promise.all([...running.values()].map(({ recorded }) => recorded))
    },
  }
}
