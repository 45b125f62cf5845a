# recrawl in a container: `docker build -t recrawl .`, then `docker run -v crawl:/crawl recrawl run /crawl`.
FROM python:3.12-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY pyproject.toml hatch_build.py README.md ./
COPY src src
ENV RECRAWL_NATIVE=1
RUN pip install --no-cache-dir --prefix=/install '.[web,speed,postgres]'

FROM python:3.12-slim
COPY --from=build /install /usr/local
RUN useradd --uid 10001 --home-dir /crawl --create-home crawl
USER crawl
WORKDIR /crawl
VOLUME /crawl
EXPOSE 8800
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5m --timeout=60s --start-period=60s CMD ["recrawl", "doctor", "/crawl", "--offline"]
ENTRYPOINT ["recrawl"]
CMD ["run", "/crawl"]
