import { MeshClient } from './MeshClient';

const clientOf = (answer: () => Response) => {
  const asked: string[] = [];
  const client = new MeshClient({
    baseUrl: 'https://portal.example.com/api/mesh',
    fetch: async input => {
      asked.push(new URL(String(input)).href);
      return answer();
    },
  });
  return { client, asked };
};
const ok = () => new Response('{}', { status: 200 });

describe('MeshClient', () => {
  it('asks for names as they are, whatever is in them', async () => {
    const { client, asked } = clientOf(ok);
    await client.getCluster('arn:aws:eks:eu/west?#%');
    await client.getService('a/b', 'shop', 'cart');
    await client.listServices({
      cluster: ['east', 'we&st'],
      search: '',
      limit: 10,
    });
    expect(asked).toEqual([
      'https://portal.example.com/api/mesh/v1/clusters/arn%3Aaws%3Aeks%3Aeu%2Fwest%3F%23%25',
      'https://portal.example.com/api/mesh/v1/services/a%2Fb/shop/cart',
      'https://portal.example.com/api/mesh/v1/services?cluster=east&cluster=we%26st&limit=10',
    ]);
  });

  it.each(['..', '.', ''])('asks for nothing by the name "%s"', async name => {
    const { client, asked } = clientOf(ok);
    await expect(client.getCluster(name)).rejects.toThrow(
      `Nothing has the name "${name}"`,
    );
    await expect(client.getService(name, name, 'x')).rejects.toThrow('name');
    expect(asked).toEqual([]);
  });

  it('throws for every answer that is not of success', async () => {
    const { client } = clientOf(
      () =>
        new Response(
          JSON.stringify({
            error: { name: 'NotAllowedError', message: 'no' },
            response: { statusCode: 403 },
          }),
          { status: 403, headers: { 'content-type': 'application/json' } },
        ),
    );
    await expect(client.listClusters()).rejects.toMatchObject({
      name: 'ResponseError',
      statusCode: 403,
    });
  });
});
