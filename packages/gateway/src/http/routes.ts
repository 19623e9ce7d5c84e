/** Every path of the gateway and the methods it takes, for 405 and OPTIONS. HEAD comes with GET. */
const ROUTES: readonly { readonly path: RegExp; readonly methods: readonly string[] }[] = [
  { path: /^\/healthz$/, methods: ['GET', 'HEAD'] },
  { path: /^\/api\/tools\/(?:list|call)$/, methods: ['POST'] },
  { path: /^\/mcp$/, methods: ['POST'] },
  { path: /^\/api\/runner\/link$/, methods: ['GET'] },
  { path: /^\/api\/admin\/tokens$/, methods: ['GET', 'HEAD', 'POST'] },
  { path: /^\/api\/admin\/tokens\/[^/]+$/, methods: ['DELETE'] },
  { path: /^\/api\/admin\/status$/, methods: ['GET', 'HEAD'] },
  { path: /^\/api\/admin\/stop$/, methods: ['POST'] },
];

/** The methods of a request's path, or null when there is nothing at it. */
export function methodsAt(url: string): readonly string[] | null {
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  return ROUTES.find((route) => route.path.test(path))?.methods ?? null;
}
