import type { Item } from '@parley/protocol'
import { stripEffects } from '../view/text/control-characters.ts'
import { itemLine, runningLine } from './item-lines.ts'

/** What people read while it works: streamed text, and lines that never begin in the middle of it. */
export interface Progress {
  introduce(item: Item): void
  begin(itemId: string): void
  stream(itemId: string, text: string): void
  finish(item: Item): void
  say(text: string): void
}

export function createProgress(stderr: { write(text: string): unknown }): Progress {
  const open = new Map<string, Item>()
  /** Characters of each item already shown: deltas are a courtesy, and the closing event has the rest. */
  const shown = new Map<string, number>()
  let speaker: string | null = null
  let isMidLine = false

  function endLine(): void {
    if (isMidLine) stderr.write('\n')
    isMidLine = false
  }

  function say(text: string): void {
    endLine()
    speaker = null
    stderr.write(`${stripEffects(text)}\n`)
  }

  function stream(itemId: string, text: string): void {
    if (text === '') return
    if (speaker !== itemId) changeSpeaker(itemId)
    shown.set(itemId, (shown.get(itemId) ?? 0) + text.length)
    const visible = stripEffects(text)
    stderr.write(visible)
    isMidLine = !visible.endsWith('\n')
  }

  function changeSpeaker(itemId: string): void {
    const item = open.get(itemId)
    const line = item === undefined ? null : runningLine(item, shown.has(itemId))
    if (line !== null) say(line)
    else endLine()
    speaker = itemId
  }

  function finish(item: Item): void {
    open.delete(item.id)
    if (item.type === 'agentMessage') stream(item.id, item.text.slice(shown.get(item.id) ?? 0))
    const line = itemLine(item, shown.has(item.id) && speaker === item.id)
    shown.delete(item.id)
    if (line !== null) say(line)
    else endLine()
  }

  return {
    introduce: (item) => void open.set(item.id, item),
    begin(itemId) {
      const item = open.get(itemId)
      if (item?.type !== 'commandExecution') return
      changeSpeaker(itemId)
      shown.set(itemId, 0)
    },
    stream,
    finish,
    say,
  }
}
