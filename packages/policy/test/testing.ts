export { shellParserFiles } from './facts/place.ts'
