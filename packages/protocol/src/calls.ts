export { argumentsOf, callKindOf, setsPlan, toolOwner } from './calls/call-facts.ts'
export { outputText, typedCommand } from './calls/command-text.ts'
export { readDiffs, type ShownChange, sideOfDiff } from './calls/diffs.ts'
