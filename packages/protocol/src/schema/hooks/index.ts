export { type HookAnswer, hookAnswer } from './hook-answer.ts'
export { type HookInput, type HookInputOf, hookInput } from './hook-input.ts'
