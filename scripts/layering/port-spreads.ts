import type { Source } from './sources.ts'
import { isNode, lineCounter, type Node } from './syntax.ts'
import { type Located, nameIn, nodesIn, type TypeTable } from './type-table.ts'

/** Names of bags: a spread of them is refused, whatever their type is. */
const bagNames = /^#?(parts|ports|around|deps|modules|toolPorts|running|unshared)$/

/** A type with as many functions, or objects with functions, among its members is a bag of ports. */
const portsOfBag = 3

/** Types of the names that are in force at some place of a source, the innermost last. */
type Scope = Map<string, Located | undefined>

/**
 * Returns spreads of ports into an object, also by `Object.assign`: of values with a bag as their type, as far as
 * declarations show it, and of values with the name of a bag.
 */
export function portSpreadViolations(sources: readonly Source[], table: TypeTable): string[] {
  return sources.flatMap(({ path, text }) => {
    const lineAt = lineCounter(text)
    return spreadsIn(path, table.programs.get(path), [new Map()])
      .filter(({ value, scopes }) => bagNames.test(lastName(value)) || isBag(typeOf(path, value, scopes, table), table))
      .map(({ value }) => `${path}:${lineAt(value.start)} spreads ${text.slice(value.start, Number(value['end']))}`)
  })
}

type Spread = { readonly value: Node; readonly scopes: readonly Scope[] }

function spreadsIn(path: string, value: unknown, scopes: readonly Scope[]): Spread[] {
  if (Array.isArray(value)) return value.flatMap((one) => spreadsIn(path, one, scopes))
  if (!isNode(value)) return []
  const inner = opensScope(value) ? [...scopes, boundBy(path, value)] : scopes
  if (value.type === 'VariableDeclarator') declare(path, value, inner)
  return [
    ...spreadsOf(value).map((spread) => ({ value: spread, scopes: inner })),
    ...Object.values(value).flatMap((child) => spreadsIn(path, child, inner)),
  ]
}

/** Returns the values that a node spreads. What becomes a list counts by its name only. */
function spreadsOf(node: Node): Node[] {
  const spread = [...nodesIn(node['properties']), ...nodesIn(node['elements']), ...nodesIn(node['arguments'])]
    .filter(({ type }) => type === 'SpreadElement')
    .map(({ argument }) => argument)
    .filter(isNode)
  if (node.type === 'ObjectExpression') return spread
  const isAssign = isNode(node['callee']) && memberName(node['callee']) === 'Object.assign'
  return isAssign
    ? nodesIn(node['arguments']).filter(({ type }) => type !== 'ObjectExpression')
    : spread.filter((one) => bagNames.test(lastName(one)))
}

const memberName = (node: Node): string => `${nameIn(node['object'])}.${nameIn(node['property'])}`

const lastName = (node: Node): string => nameIn(node.type === 'MemberExpression' ? node['property'] : node)

const functions = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']
const opensScope = ({ type }: Node): boolean => functions.includes(type) || type === 'ClassDeclaration'

/** Returns the types of a function's parameters, or of a class's fields (`this.ports`). */
function boundBy(path: string, node: Node): Scope {
  const scope: Scope = new Map()
  for (const parameter of nodesIn(node['params'])) bind(scope, path, parameter)
  if (node.type !== 'ClassDeclaration' || !isNode(node['body'])) return scope
  for (const member of nodesIn(node['body']['body'])) {
    const type = member['typeAnnotation']
    if (isNode(type)) scope.set(`this.${nameIn(member['key'])}`, { path, node: type })
  }
  return scope
}

/** Binds a name, or the rest of a pattern, to the type that is written beside it. */
function bind(scope: Scope, path: string, parameter: Node): void {
  const pattern = parameter.type === 'AssignmentPattern' && isNode(parameter['left']) ? parameter['left'] : parameter
  const type = isNode(pattern['typeAnnotation']) ? { path, node: pattern['typeAnnotation'] } : undefined
  if (pattern.type === 'Identifier') scope.set(nameIn(pattern), type)
  const rest = nodesIn(pattern['properties']).find((one) => one.type === 'RestElement')
  if (rest !== undefined) scope.set(nameIn(rest['argument']), type)
}

/** Binds a constant to its written type, or to its first value. */
function declare(path: string, { id, init }: Node, scopes: readonly Scope[]): void {
  const scope = scopes.at(-1)
  if (scope === undefined || !isNode(id)) return
  bind(scope, path, id)
  const name = nameIn(
    id.type === 'Identifier' ? id : nodesIn(id['properties']).find((one) => one.type === 'RestElement')?.['argument'],
  )
  if (name !== '' && scope.get(name) === undefined && isNode(init)) scope.set(name, { path, node: init })
}

/** Returns the type of a value as far as declarations tell it. */
function typeOf(path: string, value: Node, scopes: readonly Scope[], table: TypeTable, depth = 0): Located | undefined {
  if (depth > 10) return undefined
  const inner = (node: unknown, from = path) =>
    isNode(node) ? typeOf(from, node, from === path ? scopes : [], table, depth + 1) : undefined
  const inScope = (name: string) => scopes.findLast((scope) => scope.has(name))?.get(name)
  const declaredType = (found: Located | undefined) =>
    found === undefined ? undefined : (writtenType(found) ?? inner(found.node['init'], found.path))
  switch (value.type) {
    case 'AwaitExpression':
      return inner(value['argument'])
    case 'Identifier': {
      const bound = inScope(nameIn(value)) ?? table.lookUp(path, nameIn(value))
      return declaredType(bound) ?? (bound?.node === value ? undefined : inner(bound?.node, bound?.path))
    }
    case 'MemberExpression': {
      const name = nameIn(value['property'])
      if (isNode(value['object']) && value['object'].type === 'ThisExpression')
        return declaredType(inScope(`this.${name}`))
      const object = inner(value['object'])
      return declaredType(object && table.membersOf(object)?.get(name))
    }
    case 'CallExpression':
      return isNode(value['callee']) ? returnType(table.lookUp(path, nameIn(value['callee']))) : undefined
    default:
      return undefined
  }
}

/** Returns the type that stands beside a name, or that a node is. */
function writtenType({ path, node }: Located): Located | undefined {
  const named = node.type === 'VariableDeclarator' && isNode(node['id']) ? node['id'] : node
  const type = named.type.startsWith('TS') && !isNode(named['typeAnnotation']) ? named : named['typeAnnotation']
  return isNode(type) ? { path, node: type } : undefined
}

function returnType(found: Located | undefined): Located | undefined {
  const made = isNode(found?.node['init']) ? found.node['init'] : found?.node
  const type = made?.['returnType']
  return found !== undefined && isNode(type) ? { path: found.path, node: type } : undefined
}

/** Tells if a type has several ports as members; options with a callback or two are data. */
function isBag(type: Located | undefined, table: TypeTable): boolean {
  const members = type === undefined ? undefined : table.membersOf(type)
  return [...(members?.values() ?? [])].filter((member) => isPort(member, table)).length >= portsOfBag
}

/** Tells if a member is a function, or an object with functions. */
function isPort(member: Located, table: TypeTable): boolean {
  if (isFunction(member, table)) return true
  const type = member.node['typeAnnotation']
  const members = isNode(type) ? table.membersOf({ path: member.path, node: type }) : undefined
  return [...(members?.values() ?? [])].some((inner) => isFunction(inner, table))
}

function isFunction({ path, node }: Located, table: TypeTable, depth = 0): boolean {
  if (depth > 5) return false
  if (/^TS(MethodSignature|FunctionType)$/.test(node.type) || node.type === 'MethodDefinition') return true
  const inner = (one: unknown, from = path) => isNode(one) && isFunction({ path: from, node: one }, table, depth + 1)
  if (node.type === 'TSUnionType') return nodesIn(node['types']).some((one) => inner(one))
  if (node.type === 'TSTypeReference') {
    const found = table.lookUp(path, nameIn(node['typeName']))
    return found?.node.type === 'TSTypeAliasDeclaration' && inner(found.node, found.path)
  }
  return inner(node['typeAnnotation'])
}
