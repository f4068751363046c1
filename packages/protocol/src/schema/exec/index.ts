export {
  type ExecMethodName,
  type ExecMethods,
  type ExecNotificationName,
  type ExecNotifications,
  type ExecParamsOf,
  type ExecResultOf,
  execMethods,
  execNotifications,
  execProtocolVersion,
} from './method.ts'
