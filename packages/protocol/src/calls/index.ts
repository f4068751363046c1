export { argumentsOf, callKindOf, setsPlan, toolOwner } from './call-facts.ts'
export { outputText, typedCommand } from './command-text.ts'
export { readDiffs, type ShownChange, sideOfDiff } from './diffs.ts'
export { reasonsToAsk } from './reasons-to-ask.ts'
