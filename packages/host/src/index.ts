export { type HostErrorCode, hostErrors } from './errors.ts';
export {
  type CallPart,
  type EndReason,
  type Message,
  type MessageCall,
  type MessageReasoning,
  type Model,
  ModelFault,
  type ModelMeta,
  type ModelMetadata,
  type ModelPart,
  type ModelRequest,
  type ModelTool,
  type ModelUsage,
} from './models/model.ts';
