/** Where the host answers about extensions. */
export const EXTENSIONS_PATH = '/api/admin/extensions';
