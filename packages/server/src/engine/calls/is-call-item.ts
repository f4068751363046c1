import type { CallItem, Item } from '@parley/protocol'

export function isCallItem(item: Item): item is CallItem {
  return item.type === 'commandExecution' || item.type === 'fileChange' || item.type === 'toolCall'
}
