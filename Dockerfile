FROM golang:1.26.8-bookworm AS build
ARG VERSION=dev
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -buildid= -X main.release=$VERSION" -o /oxo ./cmd/oxo \
    && mkdir /data

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /oxo /oxo
COPY --from=build --chown=nonroot:nonroot /data /data
VOLUME /data
EXPOSE 8080 8081
ENV OXO_ADDR=0.0.0.0:8080 OXO_ADMIN_ADDR=0.0.0.0:8081 OXO_DATA=/data
HEALTHCHECK --interval=10s --timeout=4s --start-period=30s --start-interval=1s CMD ["/oxo", "healthcheck", "--admin-addr", "127.0.0.1:8081"]
ENTRYPOINT ["/oxo"]
CMD ["serve"]
