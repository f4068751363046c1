export { shellParserFiles } from './facts/test-folders.ts'
